"""Writes the SBOM of an image as SPDX 2.3 in JSON: its packages, the packages linked into the
binary, and each file with checksums."""

import hashlib
import json
import re
import uuid

import licenses
from root_tree import SBOM

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


def give_files(package, files):
    """Records that the package has files, with one verification code for all of them."""
    if not files:
        return
    sums = sorted(file["checksums"][0]["checksumValue"] for file in files)
    package["filesAnalyzed"] = True
    package["licenseInfoFromFiles"] = ["NOASSERTION"]
    package["packageVerificationCode"] = {
        "packageVerificationCodeValue": hashlib.sha1("".join(sums).encode()).hexdigest(),
    }


def write(tree, packages, linked, source, name):
    """Adds the document to the tree. `packages` have files there, `linked` are in the binary."""
    relations = []

    def relate(one, kind, other):
        relations.append(
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other})

    patchbay = own_package(PATCHBAY, "patchbay", source.version, "APPLICATION", "Apache-2.0")
    described = {PATCHBAY: patchbay}
    relate(DOCUMENT, "DESCRIBES", IMAGE)
    relate(IMAGE, "CONTAINS", PATCHBAY)
    for package in packages:
        spdx_id = identifier("Package", package.name)
        text = (tree.root / f"usr/share/doc/{package.name}/copyright").read_text()
        described[spdx_id] = debian_package(spdx_id, package, text)
        relate(IMAGE, "CONTAINS", spdx_id)
        if package.name in ("libc6", "libudev1"):
            relate(PATCHBAY, "DYNAMIC_LINK", spdx_id)
    for package in linked:
        spdx_id = identifier("Linked", package.name)
        described[spdx_id] = debian_package(spdx_id, package, package.copyright.read_text())
        relate(PATCHBAY, "STATIC_LINK", spdx_id)

    of_package = {spdx_id: [] for spdx_id in described}
    for path in tree.files():
        owner = tree.owners.get(path)
        spdx_id = identifier("Package", owner) if owner else PATCHBAY
        of_package[spdx_id].append(file_entry(tree.root, path))
    for spdx_id, files in of_package.items():
        give_files(described[spdx_id], files)
        for file in files:
            relate(spdx_id, "CONTAINS", file["SPDXID"])

    patchbay["packageVerificationCode"]["packageVerificationCodeExcludedFiles"] = [f".{SBOM}"]
    image = own_package(IMAGE, name, source.version, "CONTAINER", licenses.UNKNOWN)
    unique = uuid.uuid5(uuid.NAMESPACE_OID, f"patchbay {name} {source.commit} {tree.architecture}")
    tree.write(SBOM, json.dumps({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": DOCUMENT,
        "name": name,
        "documentNamespace": f"urn:uuid:{unique}",
        "creationInfo": {"created": source.created, "creators": ["Tool: patchbay-scripts-image"]},
        "packages": [image, *described.values()],
        "files": [file for files in of_package.values() for file in files],
        "relationships": relations,
    }, indent=1) + "\n")
