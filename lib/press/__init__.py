"""What makes the book: notebooks from the chapters, pages and slides from the notebooks.

One tool per module, each run as ``python -m press.NAME``; not in the wheel.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
