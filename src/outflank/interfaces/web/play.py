"""The board to play on."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
