"""Compares the list of an image's contents with the image."""

import hashlib
import json
import re
import unittest

from images import DIRECTORY, ROOT, debug, plain

SBOM = "/usr/share/sbom/patchbay.spdx.json"
BINARY = "/usr/local/bin/patchbay"


def document(image):
    return json.loads(image.content[SBOM])


class Sbom(unittest.TestCase):
    def setUp(self):
        self.document = document(plain())
        self.packages = {package["SPDXID"]: package for package in self.document["packages"]}

    def related(self, kind, to=None):
        return {
            one["relatedSpdxElement"] for one in self.document["relationships"]
            if one["relationshipType"] == kind and to in (None, one["spdxElementId"])
        }

    def names(self, ids):
        return {self.packages[one]["name"] for one in ids}

    def test_it_lies_beside_the_image_too(self):
        (beside,) = (DIRECTORY / "plain").glob("*.spdx.json")
        self.assertEqual(beside.read_bytes(), plain().content[SBOM])

    def test_every_file_is_listed_as_it_is(self):
        for image in (plain(), debug()):
            listed = {file["fileName"].lstrip("."): file for file in document(image)["files"]}
            self.assertCountEqual(listed, set(image.content) - {SBOM})
            for path, file in listed.items():
                with self.subTest(path):
                    for checksum in file["checksums"]:
                        digest = hashlib.new(checksum["algorithm"].lower(), image.content[path])
                        self.assertEqual(checksum["checksumValue"], digest.hexdigest())

    def test_it_names_what_the_binary_was_linked_of(self):
        linked = self.names(self.related("STATIC_LINK", "SPDXRef-Package-patchbay"))
        dependencies = (ROOT / "cmake/Dependencies.cmake").read_text()
        for word, package in {
            "gRPC": "libgrpc++-dev", "Protobuf": "libprotobuf-dev", "yaml-cpp": "libyaml-cpp-dev",
            "fmt": "libfmt-dev", "spdlog": "libspdlog-dev",
            "nlohmann_json": "nlohmann-json3-dev", "libuv": "libuv1-dev",
        }.items():
            self.assertRegex(dependencies, rf"find_package\({word}\b|pkg_check_modules\(\w+ REQUIRED.*{word}")
            self.assertIn(package, linked)
        # The list includes indirect packages and those of the compiler, but no shared libraries.
        self.assertLessEqual({"libabsl-dev", "libc-ares-dev", "libre2-dev", "zlib1g-dev"}, linked)
        self.assertTrue(any(name.startswith("libstdc++") for name in linked))
        self.assertFalse({"libc6-dev", "libudev-dev"} & linked)
        # Tests that were built beside the binary are not in the list.
        self.assertFalse({"libgtest-dev", "libgmock-dev"} & linked)
        self.assertEqual(
            self.names(self.related("DYNAMIC_LINK", "SPDXRef-Package-patchbay")),
            {"libbrotli1", "libc6", "libcpp-httplib0.11", "libgcc-s1", "libssl3", "libstdc++6",
             "libudev1", "zlib1g"})

    def test_their_licences_are_in_the_image(self):
        for name in self.names(self.related("STATIC_LINK")):
            self.assertTrue(
                plain().content[f"/usr/share/doc/patchbay/linked/{name}.copyright"], name)

    def test_packages_are_those_that_were_written_down(self):
        lock = (ROOT / "deploy/image/packages.lock").read_text()
        contained = self.related("CONTAINS", "SPDXRef-Image") - {"SPDXRef-Package-patchbay"}
        self.assertTrue(contained)
        for one in contained:
            package = self.packages[one]
            self.assertIn(f"\n{package['name']} {package['versionInfo']} ", lock)

    def test_relations_are_between_what_is_there(self):
        known = {"SPDXRef-DOCUMENT", *self.packages}
        known |= {file["SPDXID"] for file in self.document["files"]}
        self.assertEqual(len(known), 1 + len(self.packages) + len(self.document["files"]))
        for relation in self.document["relationships"]:
            self.assertIn(relation["spdxElementId"], known)
            self.assertIn(relation["relatedSpdxElement"], known)
        for one in known:
            self.assertRegex(one, r"^SPDXRef-[A-Za-z0-9.-]+$")

    def test_packages_have_a_place_in_the_world(self):
        for package in self.packages.values():
            for reference in package.get("externalRefs", []):
                self.assertRegex(
                    reference["referenceLocator"],
                    r"^pkg:deb/debian/[a-z0-9.%A-F+-]+@\S+\?arch=\w+&distro=debian-12")

    def test_the_number_of_a_package_is_that_of_its_files(self):
        files = {file["SPDXID"]: file for file in self.document["files"]}
        for spdx_id, package in self.packages.items():
            contained = self.related("CONTAINS", spdx_id) & set(files)
            self.assertEqual(bool(contained), package["filesAnalyzed"], spdx_id)
            if contained:
                sums = sorted(files[one]["checksums"][0]["checksumValue"] for one in contained)
                self.assertEqual(
                    package["packageVerificationCode"]["packageVerificationCodeValue"],
                    hashlib.sha1("".join(sums).encode()).hexdigest())


if __name__ == "__main__":
    unittest.main()
