"""The app, but what a visitor leaves is deleted a moment after the page was closed, not after minutes."""

from __future__ import annotations

import app
from aeollm.ui import judge_desk

if __name__ == "__main__":
    judge_desk._GRACE = 0.5
    app.main()
