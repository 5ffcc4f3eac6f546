/** Where somebody signs in from. */
import type { RequestOrigin } from "./actor";
import type { Device } from "./device";

export interface ClientContext {
  device: Device;
  /** The same request, as the audit log records it. */
  origin: RequestOrigin;
}
