/** The OpenAPI document matches the router. `support/client.ts` checks every response in the suite against it. */
import { describe, expect, test } from "vitest";
import { app } from "../../src/app";
import { ERROR_CODES } from "../../src/base/errors";
import { RULES } from "../../src/base/limits/rules";
import { PERMISSIONS } from "../../src/base/schemas/roles";
import { call } from "../support/client";
import { expectDocumented, openApi } from "../support/contract";

/**
 * The console, portals, catalogues and the pages for apps are not part of the API; test/console/ covers them. What apps
 * call is described by OpenID Connect, and found by its discovery; test/oauth covers it. What directories call is
 * described by RFC 7644, section 4, with the errors of its section 3.12; test/directory covers it.
 */
const isElsewhere = (path: string) => /^\/(console|portal|setup|catalog|account|oauth|scim)(\/|$)/.test(path);

const mounted = [
  ...new Set(
    app.routes
      .filter(({ method, path }) => method !== "ALL" && !isElsewhere(path))
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`),
  ),
];
/** The documentation pages and the files they load, and the npm package. */
const PAGES = [
  "GET /postern.tgz",
  "GET /postern-0.1.0.tgz",
  "GET /llms.txt",
  "GET /docs",
  "GET /docs/{page}",
  "GET /docs/{folder}/{page}",
  "GET /docs/assets/{file}",
];

/** What generators make beside the types of a document, and what languages have already. */
const RESERVED = [
  // ogen
  ...["Client", "Server", "Handler", "Invoker", "Middleware", "Labeler", "OperationName", "Option", "Route"],
  ...["ClientOption", "ServerOption", "SecurityHandler", "SecuritySource", "ErrorHandler", "UnimplementedHandler"],
  ...["WebhookClient", "WebhookServer", "WebhookHandler"],
  // oapi-codegen
  ...["ClientInterface", "ClientWithResponses", "HttpRequestDoer", "RequestEditorFn", "ServerInterface"],
  // openapi-generator
  ...["ApiClient", "ApiException", "ApiResponse", "BaseAPI", "Configuration", "FetchError", "JSON", "Pair"],
  ...["RequestContext", "RequiredError", "ResponseContext", "ResponseError", "ServerConfiguration", "ServerVariable"],
  ...["BasicAuth", "GenericOpenAPIError", "MappedNullable"],
  // The generators for TypeScript, Python, C# and Rust
  ...["Api", "ApiConfig", "ApiError", "AuthenticatedClient", "Config", "ContentType", "HttpClient", "HttpResponse"],
  ...["Model", "Operation", "Options", "QuerySerializer", "RequestParams", "ResponseValue", "Service", "Unset"],
  // Languages
  ...["Any", "Array", "Blob", "Boolean", "Class", "Date", "Enum", "Error", "Event", "Exception", "File", "Function"],
  ...["Headers", "List", "Map", "Number", "Object", "Optional", "Package", "Promise", "Record", "Request"],
  ...["Response", "Result", "Self", "Set", "String", "Symbol", "Type", "Union", "Url", "Value", "Void"],
];
/** What stands after the name of an operation in the names of what generators make of it. */
const OF_OPERATIONS = ["body", "data", "error", "errors", "jsonrequestbody", "ok", "params", "req", "res", "response"];

const operations = async () =>
  Object.entries((await openApi()).paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, ...operation })),
  );

describe("the document", () => {
  test("names every mounted route, and no other", async () => {
    const documented = (await operations()).map(({ route }) => route);
    expect([...documented, ...PAGES].sort()).toEqual(mounted.sort());
  });

  test("gives each operation a unique id", async () => {
    const names = (await operations()).map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  test("names every error code, permission and rate limit in at least one operation", async () => {
    const text = JSON.stringify(await openApi());
    const missing = [...ERROR_CODES, ...PERMISSIONS.map((permission) => `"x-permission":"${permission}"`)].filter(
      (word) => !text.includes(word),
    );
    expect(missing).toEqual([]);
    const { paths } = await openApi();
    const limited = Object.values(paths).flatMap((item) => Object.values(item).filter((op) => "x-rate-limit" in op));
    expect(limited.length).toBeGreaterThanOrEqual(Object.keys(RULES).length);
  });

  test("gives integers their size, and has only patterns that RE2 reads, for generators of clients", async () => {
    const text = JSON.stringify(await openApi());
    expect(text.match(/"pattern":"(?:[^"\\]|\\.)*(?:\(\?[!=<]|\\\\u)/g) ?? []).toEqual([]);
    expect(text).not.toMatch(/"type":"integer"(?![^{}]*"format":"int(?:32|64)")[^{}]*"maximum"/);
    expect(text).toContain('"format":"int64"');
  });

  test("names nothing as generators name something else, not even in another case", async () => {
    const { components } = (await openApi()) as unknown as { components: Record<string, object> };
    const namesOf = (kind: string) => Object.keys(components[kind] ?? {}).map((name) => name.toLowerCase());
    const schemas = namesOf("schemas");
    const taken = new Set([
      ...RESERVED.map((name) => name.toLowerCase()),
      ...namesOf("securitySchemes"),
      ...namesOf("responses"),
      ...schemas.flatMap((name) => [`new${name}`, `nullable${name}`, `opt${name}`, `nil${name}`]),
      ...(await operations()).flatMap(({ operationId = "" }) =>
        OF_OPERATIONS.map((end) => operationId.toLowerCase() + end),
      ),
    ]);
    expect(schemas.filter((name) => taken.has(name))).toEqual([]);
    expect(new Set(schemas).size).toBe(schemas.length);
  });

  test("says of a choice between objects that it is one of them, so that generators can tell them apart", async () => {
    const vague: unknown[] = [];
    JSON.stringify(await openApi(), (_key, value) => {
      const objects = value?.anyOf?.filter?.(({ type }: { type?: unknown }) => type === "object") ?? [];
      if (objects.length > 1) vague.push(value);
      return value;
    });
    expect(vague).toEqual([]);
  });

  test("links to the pages of error codes and limits instead of repeating them", async () => {
    const { info } = await openApi();
    for (const path of ["/docs/errors", "/docs/limits"]) expect(info.description).toContain(`](${path})`);
    expect(ERROR_CODES.filter((code) => info.description.includes(code))).toEqual([]);
  });

  test("states the limits in force", async () => {
    const { paths } = await openApi();
    expect(paths["/api/v1/auth/forgot-password"]?.post).toMatchObject({
      "x-rate-limit": { limit: 3, windowSeconds: 60, per: "IP address" },
    });
    expect(paths["/api/v1/auth/login"]?.post).toMatchObject({ "x-rate-limit": { limit: 1000 } });
  });

  test("states which credentials a route accepts, and describes the delivery to subscribers", async () => {
    const { paths, ...rest } = await openApi();
    expect(paths["/api/v1/auth/login"]?.post).toMatchObject({ security: [] });
    expect(paths["/api/v1/members"]?.get).toMatchObject({ security: [{ accessToken: ["member.read"] }] });
    expect(paths["/api/v1/events"]?.post).toMatchObject({
      security: [
        ...["accessToken", "apiKeyBearer", "apiKeyHeader"].map((scheme) => ({ [scheme]: ["event.publish"] })),
        { platformKeyBearer: [] },
      ],
    });
    expect(rest).toMatchObject({ webhooks: { delivery: { post: { requestBody: { required: true } } } } });
  });
});

describe("a response fails its test when the document does not promise", () => {
  const request = new Request("http://postern.test/health");
  const answer = async () => call("GET", "//health");

  test.each([
    ["its status", { status: 201 }, /does not name/],
    ["a field of it", { body: { data: { status: "ok", passwordHash: "x" } } }, /shapes otherwise/],
    ["its value", { body: { data: { status: "so-so" } } }, /shapes otherwise/],
    ["its media type", { headers: new Headers({ "x-request-id": "x", "content-type": "text/html" }) }, /text\/html/],
    ["that a header is missing", { headers: new Headers({ "content-type": "application/json" }) }, /X-Request-Id/],
  ])("%s", async (_what, change, message) => {
    await expectDocumented(request, await answer());
    await expect(expectDocumented(request, { ...(await answer()), ...change })).rejects.toThrow(message);
  });
});
