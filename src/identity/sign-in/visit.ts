/** Where somebody signs in from. */
import type { RequestOrigin } from "../../tenancy/audit/actor";
import type { Device } from "../sessions/device";

export interface Visit {
  device: Device;
  /** The same request, as the audit log records it. */
  origin: RequestOrigin;
}
