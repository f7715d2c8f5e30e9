"""Is model B really better than model A?

One module per method; import the one you need::

    from betterthan import bayes, bcv
"""

__version__ = "0.1.0"
