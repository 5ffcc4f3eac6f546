/** Media types of bodies (RFC 9110 8.3.1): in any case, with parameters or without. */
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/** Whether a body with this `Content-Type` is a form's. */
export const isForm = (contentType: string | null | undefined): boolean => FORM_TYPE.test(contentType ?? "");
