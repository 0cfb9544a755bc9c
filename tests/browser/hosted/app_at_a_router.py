"""The app, but what it takes for the Hub's router of providers lies at the address ROUTER."""

from __future__ import annotations

import os

import huggingface_hub.inference._providers as hub_providers

import app

if __name__ == "__main__":
    hub_providers.CONVERSATIONAL_AUTO_ROUTER.base_url = os.environ["ROUTER"]
    app.main()
