"""The network of Hashemi et al. (LLM-Rubric, ACL 2024): shared and judge-specific parameters, exact gradients."""
