/** The format of the hidden subscriptions that tell apps of sign-ins that end. Nobody can ask for it. */

export const LOGOUT_FORMAT = "logout";

/** Soon at first, because somebody may be waiting at the app; after an hour it gives up. */
export const LOGOUT_OPTIONS = { format: LOGOUT_FORMAT, retry: { schedule: [5, 30, 120, 600, 3_600] } } as const;

export const isLogout = (options: object | null): boolean =>
  options !== null && "format" in options && options.format === LOGOUT_FORMAT;
