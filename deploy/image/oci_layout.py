"""Writes an image in the OCI layout (image-spec 1.0): a directory of blobs, each named by its
digest, and an index. The result does not depend on time and place."""

import hashlib
import io
import json
import pathlib
import shutil
import tarfile

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"


def as_json(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def digest_of(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


class Layout:
    """A new layout in a directory: add images, then finish it."""

    def __init__(self, directory):
        self._directory = pathlib.Path(directory)
        shutil.rmtree(self._directory, ignore_errors=True)
        (self._directory / "blobs/sha256").mkdir(parents=True)
        self._images = []
        self._loadable = []

    def add(self, architecture, created, layer, layer_digest, config, labels):
        """Adds an image of one compressed layer; `layer_digest` is that before compression."""
        blob = self._blob(LAYER, layer)
        config_blob = self._blob(CONFIG, as_json({
            "architecture": architecture,
            "config": {**config, "Labels": labels},
            "created": created,
            "history": [{"created": created, "created_by": "scripts/image"}],
            "os": "linux",
            "rootfs": {"type": "layers", "diff_ids": [layer_digest]},
        }))
        manifest = self._blob(MANIFEST, as_json({
            "schemaVersion": 2, "mediaType": MANIFEST, "config": config_blob, "layers": [blob],
            "annotations": labels,
        }))
        self._images.append({**manifest, "platform": platform(architecture)})
        self._loadable.append({"Config": self._path(config_blob), "Layers": [self._path(blob)]})

    def finish(self, name, tag):
        """Writes the index; several images become one multi-architecture image."""
        names = {
            "io.containerd.image.name": f"{name}:{tag}",
            "org.opencontainers.image.ref.name": tag,
        }
        if len(self._images) == 1:
            (top,) = self._images
        else:
            top = self._blob(INDEX, as_json({
                "schemaVersion": 2, "mediaType": INDEX, "manifests": self._images,
            }))
        self._write("index.json", as_json({
            "schemaVersion": 2, "mediaType": INDEX, "manifests": [{**top, "annotations": names}],
        }))
        self._write("oci-layout", as_json({"imageLayoutVersion": "1.0.0"}))
        if len(self._loadable) == 1:
            # For `docker load`, which does not support multi-architecture images.
            (one,) = self._loadable
            self._write("manifest.json", as_json([{**one, "RepoTags": [f"{name}:{tag}"]}]))
        return top["digest"]

    def pack(self, path, epoch):
        """Writes the layout as one archive."""
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for file in sorted(self._directory.rglob("*")):
                member = tarfile.TarInfo(str(file.relative_to(self._directory)))
                member.mtime = epoch
                if file.is_dir():
                    member.type, member.mode = tarfile.DIRTYPE, 0o755
                    tar.addfile(member)
                else:
                    member.size = file.stat().st_size
                    with open(file, "rb") as content:
                        tar.addfile(member, content)
        path.write_bytes(buffer.getvalue())

    def _blob(self, media_type, data):
        blob = {"mediaType": media_type, "digest": digest_of(data), "size": len(data)}
        self._write(self._path(blob), data)
        return blob

    def _write(self, path, data):
        (self._directory / path).write_bytes(data)

    @staticmethod
    def _path(blob):
        return "blobs/" + blob["digest"].replace(":", "/")


def platform(architecture):
    variant = {"variant": "v8"} if architecture == "arm64" else {}
    return {"architecture": architecture, "os": "linux", **variant}
