/** What a session stores about the device that opened it. */
export interface Device {
  /** "Firefox on Linux". Made of known names only, because mails contain it and must not contain a stranger's text. */
  kind: string;
  /** Where the device roughly is: the country and region, or the network. It is only used for comparisons. */
  place: string;
  deviceName: string | null;
  browser: string | null;
  operatingSystem: string | null;
  platform: string | null;
  ipAddress: string | null;
  location: string | null;
}
