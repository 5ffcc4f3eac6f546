/** What a session stores about the device that opened it. */
export interface Device {
  deviceName: string | null;
  browser: string | null;
  operatingSystem: string | null;
  platform: string | null;
  ipAddress: string | null;
  location: string | null;
}
