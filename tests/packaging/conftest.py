from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def nginx(tmp_path_factory) -> Path:
    """Debian's nginx, unpacked and not installed: a package that listens on port 80 has no place in a test."""
    place = tmp_path_factory.mktemp("nginx")
    place.chmod(0o755)
    fetched = subprocess.run(["apt-get", "download", "-q", "nginx"], cwd=place, capture_output=True, text=True, timeout=120)
    packages = list(place.glob("nginx_*.deb"))
    if fetched.returncode != 0 or not packages:
        pytest.skip("needs the package nginx, which cannot be downloaded: " + fetched.stderr.strip()[-200:])
    subprocess.run(["dpkg-deb", "-x", packages[0], place / "root"], check=True, timeout=60)
    return place / "root/usr/sbin/nginx"
