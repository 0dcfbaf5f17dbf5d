"""Values for the tests of the chart."""

CONFIG = """apiVersion: patchbay/v1
kind: Config
resources:
  - name: lab.example.com/serial
    match: {subsystem: tty, usb: {vendor: "0403"}}
"""

OTHER = CONFIG.replace("0403", "10c4")

# The minimal values besides an image.
PLAIN = {"config": OTHER}

POOL = {"name": "gpu", "nodeSelector": {"example.com/pool": "gpu"}, "config": OTHER}

POOLS = {
    "config": CONFIG,
    "pools": [
        {
            **POOL,
            "tolerations": [{"key": "gpu", "operator": "Exists"}],
            "resources": {"limits": {"memory": "128Mi"}},
            "extraEnv": [{"name": "POOL", "value": "gpu"}],
        },
        {
            "name": "bench",
            "nodeSelector": {"example.com/pool": "bench", "example.com/rack": "1"},
            "hostNetwork": True,
            "priorityClassName": "",
            "updateStrategy": {"type": "OnDelete"},
            "privileged": True,
            "hostPaths": [{"path": "/run/vm"}],
        },
        {
            "name": "kept",
            "nodeSelector": {"example.com/pool": "kept"},
            "existingConfigMap": "kept",
        },
    ],
}

PEER = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}
RULE = {"ports": [{"port": 5025}]}
DRIVER = "patchbay.lab.example.com"
VOLUME = {"name": "probes", "configMap": {"name": "probes", "defaultMode": 0o755}}

# Each value with a non-default setting, and the other values that it requires.
CHANGES = {
    "config": (CONFIG,),
    "configs": ({"lab.yaml": CONFIG},),
    "existingConfigMap": ("elsewhere",),
    "validateBeforeUpgrade": (True,),
    "reload": (False,),
    "image.repository": ("registry.lab.example.com/patchbay",),
    "image.tag": ("0.1.0-1",),
    "image.digest": ("sha256:" + "0" * 64,),
    "image.pullPolicy": ("Always",),
    "imagePullSecrets": ([{"name": "registry"}],),
    "nameOverride": ("devices",),
    "fullnameOverride": ("lab",),
    "commonLabels": ({"example.com/team": "bench"},),
    "commonAnnotations": ({"example.com/contact": "bench"},),
    "podLabels": ({"example.com/log": "json"},),
    "podAnnotations": ({"example.com/note": "true"},),
    "pools": ([POOL], {"config": CONFIG}),
    "nodeSelector": ({"example.com/devices": "yes"},),
    "affinity": ({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [
            {"key": "example.com/virtual", "operator": "DoesNotExist"}]}]}}},),
    "tolerations": ([{"key": "example.com/bench", "operator": "Exists",
                      "effect": "NoExecute", "tolerationSeconds": 10000000}],),
    "priorityClassName": ("",),
    "resources": ({"limits": {"memory": "256Mi"}},),
    "updateStrategy": ({"rollingUpdate": {"maxSurge": "10%"}},),
    "minReadySeconds": (30,),
    "terminationGracePeriodSeconds": (5,),
    "kubelet.rootDirectory": ("/var/lib/k0s/kubelet",),
    "kubelet.devicePluginsDirectory": ("/srv/kubelet/device-plugins",),
    "podResources": (False,),
    "cdi.enabled": (True,),
    "cdi.directory": ("/srv/cdi", {"cdi": {"enabled": True}}),
    "deviceInfo.enabled": (True,),
    "deviceInfo.directory": ("/srv/dp", {"deviceInfo": {"enabled": True}}),
    "dra.enabled": (True, {"dra": {"driver": DRIVER}}),
    "dra.driver": (DRIVER, {"dra": {"enabled": True, "driver": "patchbay.example.com"}}),
    "hostPaths": ([{"path": "/run/vm"}, {"path": "/sys/devices", "writable": True}],),
    "hostNetwork": (True,),
    "hostPID": (True,),
    "privileged": (True,),
    "capabilities": (["NET_ADMIN"],),
    "http.port": (9500,),
    "http.page": (True,),
    "http.metricsPerUnit": (True,),
    "log.format": ("text",),
    "log.level": ("debug",),
    "livenessProbe": ({"failureThreshold": 10},),
    "readinessProbe": ({"periodSeconds": 20},),
    "serviceAccountName": ("patchbay",),
    "extraArgs": (["--max-checks", 16],),
    "extraEnv": ([{"name": "POOL", "value": "bench"}],),
    "extraVolumes": ([VOLUME],),
    "extraVolumeMounts": ([{"name": "probes", "mountPath": "/probes", "readOnly": True}],),
    "networkPolicy.enabled": (True,),
    "networkPolicy.ingress": ([PEER], {"networkPolicy": {"enabled": True}}),
    "networkPolicy.egress": ([RULE], {"networkPolicy": {"enabled": True}}),
    "podMonitor.enabled": (True,),
    "podMonitor.labels": ({"release": "prometheus"}, {"podMonitor": {"enabled": True}}),
    "podMonitor.interval": ("15s", {"podMonitor": {"enabled": True}}),
    "podMonitor.honorLabels": (True, {"podMonitor": {"enabled": True}}),
    "prometheusRule.enabled": (True,),
    "prometheusRule.labels": ({"release": "prometheus"}, {"prometheusRule": {"enabled": True}}),
    "prometheusRule.documentsUrl": ("https://git.example.com/p", {"prometheusRule": {"enabled": True}}),
    "prometheusRule.severities": ({"PatchbayUnitsLost": "page"}, {"prometheusRule": {"enabled": True}}),
    "dashboard.enabled": (True,),
    "dashboard.labels": ({"grafana": "yes"}, {"dashboard": {"enabled": True}}),
    "dashboard.annotations": ({"grafana_folder": "Nodes"}, {"dashboard": {"enabled": True}}),
}

# All values at once, except those that exclude others.
EVERYTHING = {}
for _name, (_value, *_) in CHANGES.items():
    if _name in ("existingConfigMap", "pools", "privileged", "fullnameOverride"):
        continue
    _group, _, _key = _name.partition(".")
    if _key:
        EVERYTHING.setdefault(_group, {})[_key] = _value
    else:
        EVERYTHING[_name] = _value
EVERYTHING["configs"] = {"other.yaml": OTHER.replace("/serial", "/bridge")}
EVERYTHING["reload"] = False
