"""Start the page: settings from the environment, build, launch."""

from __future__ import annotations


def main() -> None:
    """Build the app and serve it; the port comes from GRADIO_SERVER_PORT."""
    from aeollm.ui import build_app, launch_options, open_catalogue  # noqa: PLC0415  importing app.py does nothing

    catalogue = open_catalogue()
    app = build_app(catalogue)
    app.launch(**launch_options(app, catalogue))


if __name__ == "__main__":
    main()
