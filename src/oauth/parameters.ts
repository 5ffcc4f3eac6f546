/** The parameters of a request. One without a value counts as missing (RFC 6749 sections 3.1 and 3.2). */
export const withoutEmpty = (params: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...params].filter(([, value]) => value !== ""));
