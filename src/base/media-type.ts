/** Media types of bodies (RFC 9110 8.3.1): in any case, with parameters or without. */
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** Whether a document with this `Content-Type` is JSON. */
export const isJson = (contentType: string | null | undefined): boolean => JSON_TYPE.test(contentType ?? "");

/** Whether a body with this `Content-Type` is a form's. */
export const isForm = (contentType: string | null | undefined): boolean => FORM_TYPE.test(contentType ?? "");
