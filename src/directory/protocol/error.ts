/** The errors of SCIM (RFC 7644 section 3.12), which are not those of our API. */

const ERROR_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error";

/** Which rule of the protocol a request breaks: table 9 of RFC 7644, of it what is used here, and RFC 9865. */
export type ScimType =
  | "expiredCursor"
  | "invalidCursor"
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "tooMany"
  | "uniqueness";

export type ScimStatus = 400 | 401 | 403 | 404 | 405 | 409 | 412 | 413 | 415 | 429 | 500 | 501 | 503;

/** An error that a SCIM client receives. */
export class ScimError extends Error {
  override readonly name = "ScimError";

  constructor(
    readonly status: ScimStatus,
    detail: string,
    readonly scimType?: ScimType,
  ) {
    super(detail);
  }
}

/** The body of an error. Its status is a text (RFC 7644 section 3.12). */
export const errorBody = (status: number, detail: string, scimType?: string) => ({
  schemas: [ERROR_SCHEMA],
  status: String(status),
  ...(scimType === undefined ? {} : { scimType }),
  detail,
});

export const invalidValue = (detail: string) => new ScimError(400, detail, "invalidValue");
