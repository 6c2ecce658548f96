"""Where games are played: on threads, or on a Dask cluster."""
