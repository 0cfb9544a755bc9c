"""Start the page: settings from the environment, build, launch."""

from __future__ import annotations


def main() -> None:
    """Build the app and serve it; the port comes from GRADIO_SERVER_PORT."""
    # Importing app.py does nothing.
    from aeollm.errors import HostingError  # noqa: PLC0415
    from aeollm.submissions import open_host  # noqa: PLC0415
    from aeollm.ui import Hosted, build_app, launch_options, open_catalogue  # noqa: PLC0415

    try:
        host = open_host()
    except HostingError as error:
        raise SystemExit(str(error)) from None
    hosted = Hosted.here(host) if host else None
    catalogue = open_catalogue(host=host)
    app = build_app(catalogue, hosted)
    app.launch(**launch_options(app, catalogue, hosted))


if __name__ == "__main__":
    main()
