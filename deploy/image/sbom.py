"""Writes the SBOM of an image or another artifact as SPDX 2.3 in JSON: its packages, the packages
linked into the binary, and each file with checksums."""

import hashlib
import json
import re
import uuid

import licenses
from root_tree import LIBRARIES, SBOM

DOCUMENT = "SPDXRef-DOCUMENT"
IMAGE = "SPDXRef-Image"
PATCHBAY = "SPDXRef-Package-patchbay"


def identifier(kind, name):
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]", lambda found: f"-{ord(found[0]):x}-", name)


def purl(name, version, architecture, source):
    def quoted(text):
        return re.sub(r"[^A-Za-z0-9.~_-]", lambda found: f"%{ord(found[0]):02X}", text)

    upstream = f"&upstream={quoted(source)}" if source != name else ""
    return f"pkg:deb/debian/{quoted(name)}@{quoted(version)}?arch={architecture}&distro=debian-12{upstream}"


def debian_package(spdx_id, package, copyright_text):
    return {
        "SPDXID": spdx_id,
        "name": package.name,
        "versionInfo": package.version,
        "supplier": f"Organization: Debian ({package.maintainer})",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licenses.declared(copyright_text),
        "copyrightText": "NOASSERTION",
        "sourceInfo": f"built from the Debian source package {package.source}",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": purl(
                package.name, package.version, package.architecture, package.source),
        }],
    }


def own_package(spdx_id, name, version, purpose, license):
    return {
        "SPDXID": spdx_id,
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": license,
        "licenseDeclared": license,
        "copyrightText": "NOASSERTION",
        "primaryPackagePurpose": purpose,
    }


def file_entry(root, path):
    data = (root / path.lstrip("/")).read_bytes()
    return {
        "SPDXID": identifier("File", path),
        "fileName": f".{path}",
        "checksums": [
            {"algorithm": name.upper(), "checksumValue": hashlib.new(name, data).hexdigest()}
            for name in ("sha1", "sha256")
        ],
        "licenseConcluded": "NOASSERTION",
        "licenseInfoInFiles": ["NOASSERTION"],
        "copyrightText": "NOASSERTION",
    }


class Document:
    """An SPDX document of one artifact, as it is filled."""

    def __init__(self, source, name):
        self._source = source
        self._name = name
        self._packages = {}
        self._files = []
        self._relations = []

    def add(self, spdx_id, package):
        self._packages[spdx_id] = package

    def relate(self, one, kind, other):
        self._relations.append(
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other})

    def add_files(self, spdx_id, files, without=()):
        """Files of a package, with one verification code for all of them."""
        if not files:
            return
        package = self._packages[spdx_id]
        sums = sorted(file["checksums"][0]["checksumValue"] for file in files)
        package["filesAnalyzed"] = True
        package["licenseInfoFromFiles"] = ["NOASSERTION"]
        code = {"packageVerificationCodeValue": hashlib.sha1("".join(sums).encode()).hexdigest()}
        if without:
            code["packageVerificationCodeExcludedFiles"] = list(without)
        package["packageVerificationCode"] = code
        self._files += files
        for file in files:
            self.relate(spdx_id, "CONTAINS", file["SPDXID"])

    def text(self):
        named = f"patchbay {self._name} {self._source.commit}"
        return json.dumps({
            "spdxVersion": "SPDX-2.3",
            "dataLicense": "CC0-1.0",
            "SPDXID": DOCUMENT,
            "name": self._name,
            "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, named)}",
            "creationInfo": {"created": self._source.created, "creators": ["Tool: patchbay-sbom"]},
            "packages": list(self._packages.values()),
            "files": self._files,
            "relationships": self._relations,
        }, indent=1) + "\n"


def add_linked(document, linked):
    """The packages with code in the binary of PATCHBAY."""
    for package in linked:
        spdx_id = identifier("Linked", package.name)
        document.add(spdx_id, debian_package(spdx_id, package, package.copyright.read_text()))
        document.relate(PATCHBAY, "STATIC_LINK", spdx_id)


def write(tree, packages, linked, source, name):
    """Adds the document to the tree. `packages` have files there, `linked` are in the binary."""
    document = Document(source, name)
    document.add(IMAGE, own_package(IMAGE, name, source.version, "CONTAINER", licenses.UNKNOWN))
    document.add(
        PATCHBAY, own_package(PATCHBAY, "patchbay", source.version, "APPLICATION", "Apache-2.0"))
    document.relate(DOCUMENT, "DESCRIBES", IMAGE)
    document.relate(IMAGE, "CONTAINS", PATCHBAY)
    of_package = {PATCHBAY: []}
    for package in packages:
        spdx_id = identifier("Package", package.name)
        of_package[spdx_id] = []
        text = (tree.root / f"usr/share/doc/{package.name}/copyright").read_text()
        document.add(spdx_id, debian_package(spdx_id, package, text))
        document.relate(IMAGE, "CONTAINS", spdx_id)
        if package.name in LIBRARIES:
            document.relate(PATCHBAY, "DYNAMIC_LINK", spdx_id)
    add_linked(document, linked)

    for path in tree.files():
        owner = tree.owners.get(path)
        spdx_id = identifier("Package", owner) if owner else PATCHBAY
        of_package[spdx_id].append(file_entry(tree.root, path))
    for spdx_id, files in of_package.items():
        document.add_files(spdx_id, files, [f".{SBOM}"] if spdx_id == PATCHBAY else ())
    tree.write(SBOM, document.text())


def artifact(file, root, source, linked=()):
    """The text of the document of a file of a release, which was unpacked into `root`."""
    document = Document(source, file.name)
    purpose = "APPLICATION" if linked else "OTHER"
    package = own_package(PATCHBAY, "patchbay", source.version, purpose, "Apache-2.0")
    package["packageFileName"] = file.name
    package["checksums"] = [
        {"algorithm": "SHA256", "checksumValue": hashlib.sha256(file.read_bytes()).hexdigest()}]
    document.add(PATCHBAY, package)
    document.relate(DOCUMENT, "DESCRIBES", PATCHBAY)
    add_linked(document, linked)
    paths = sorted("/" + str(path.relative_to(root)) for path in root.rglob("*")
                   if path.is_file() and not path.is_symlink())
    document.add_files(PATCHBAY, [file_entry(root, path) for path in paths])
    return document.text()
