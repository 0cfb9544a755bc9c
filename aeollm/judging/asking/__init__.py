"""The real network: an OpenAI-compatible endpoint or a Hugging Face provider, through the Hub's own client."""

from aeollm.judging.asking.endpoint import Endpoint, connect

__all__ = ["Endpoint", "connect"]
