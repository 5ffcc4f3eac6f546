/** Error responses by status. Routes with the same set of codes share one response component. */
import type { ZodOpenApiResponseObject } from "zod-openapi";
import { describeCode, type ErrorCode } from "../../base/errors";
import { ALLOW_HEADER, LIMIT_HEADERS, REQUEST_ID_HEADER, RETRY_HEADER } from "./headers";

const EXAMPLE_REQUEST_ID = "0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f";
/** Statuses whose responses carry `Retry-After`. */
const WITH_RETRY_AFTER = new Set([423, 429, 503]);

/** The error responses for `codes`, by status. `limited` adds the rate-limit headers. */
export function failureResponses(codes: readonly ErrorCode[], limited: boolean) {
  const byStatus = Object.groupBy(codes, (code) => String(describeCode(code).status));
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, group = []]) => [status, failureResponse(Number(status), group, limited)]),
  );
}

/** By component name. zod-openapi treats equal names as one component only if the object is the same. */
const responses = new Map<string, ZodOpenApiResponseObject>();

function failureResponse(status: number, unsorted: readonly ErrorCode[], limited: boolean): ZodOpenApiResponseObject {
  const codes = unsorted.toSorted();
  const id = `${codes.map(pascalCase).join("Or")}${limited && status !== 429 ? "Limited" : ""}`;
  const known = responses.get(id);
  if (known) return known;
  const response: ZodOpenApiResponseObject = {
    id,
    description: codes.map((code) => `\`${code}\`: ${describeCode(code).message}`).join("\n\n"),
    headers: {
      ...REQUEST_ID_HEADER,
      ...(WITH_RETRY_AFTER.has(status) ? RETRY_HEADER : {}),
      ...(status === 405 ? ALLOW_HEADER : {}),
      ...(limited ? LIMIT_HEADERS : {}),
    },
    content: {
      "application/json": {
        schema: { allOf: [{ $ref: "#/components/schemas/Failure" }], properties: { code: { enum: codes } } },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
  responses.set(id, response);
  return response;
}

const pascalCase = (code: string) => code.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase());

const exampleOf = (code: ErrorCode) => ({
  code,
  message: describeCode(code).message,
  requestId: EXAMPLE_REQUEST_ID,
  ...(code === "VALIDATION_FAILED" ? { details: [{ path: "email", message: "Invalid email address" }] } : {}),
});
