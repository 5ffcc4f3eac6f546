/** Where somebody signs in from. */

import type { RequestOrigin } from "./actor";
import type { Device } from "./device";
import type { Locale } from "./locales";

export interface ClientContext {
  device: Device;
  /** The language that the browser asks for, if we have it. */
  locale: Locale | null;
  /** The same request, as the audit log records it. */
  origin: RequestOrigin;
}
