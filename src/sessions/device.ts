/** What a session stores about the device that opened it. */
export interface Device {
  /** "Firefox on Linux", of names that we know only: it stands in mails, which must not carry a stranger's words. */
  kind: string;
  deviceName: string | null;
  browser: string | null;
  operatingSystem: string | null;
  platform: string | null;
  ipAddress: string | null;
  location: string | null;
}
