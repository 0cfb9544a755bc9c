"""The project as a Space of one's own on the Hub: what would be sent, and sending it."""

from aeollm.deployment.files import HOST_FILE, space_files
from aeollm.deployment.plan import Deployment, Wishes, plan_deployment
from aeollm.deployment.space import Deployed, deploy

__all__ = ["HOST_FILE", "Deployed", "Deployment", "Wishes", "deploy", "plan_deployment", "space_files"]
