/** The export of a tenant's event types as a file, written page by page. */
import { utf8 } from "../../../base/crypto/encoding";
import type { Deps } from "../../../base/deps";
import { describeError, log } from "../../../base/log/log";
import type { TenantRef } from "../../../base/schemas/tenant-ref";
import { Meter } from "../../work/meter";
import { readPage } from "../declared-store";
import { asyncapiWriter } from "./asyncapi";
import type { ForEverybody, Writer } from "./format";
import { jsonWriter } from "./json";
import { measured } from "./limits";
import { openapiWriter } from "./openapi";
import type { TypesFormat } from "./schemas";
import { typescriptWriter } from "./typescript";

interface Format {
  writer: (meter: Meter, forEverybody?: ForEverybody) => Writer;
  mediaType: string;
  fileName: string;
}

const JSON_TYPE = "application/json; charset=UTF-8";

const FORMATS: Readonly<Record<TypesFormat, Format>> = {
  json: { writer: jsonWriter, mediaType: JSON_TYPE, fileName: "event-types.json" },
  openapi: { writer: openapiWriter, mediaType: JSON_TYPE, fileName: "openapi.json" },
  asyncapi: { writer: asyncapiWriter, mediaType: JSON_TYPE, fileName: "asyncapi.json" },
  typescript: { writer: typescriptWriter, mediaType: "text/plain; charset=UTF-8", fileName: "postern-events.ts" },
};

export const EXPORT_MEDIA_TYPES = [...new Set(Object.values(FORMATS).map(({ mediaType }) => mediaType))].map(
  (mediaType) => mediaType.split(";")[0] ?? mediaType,
);

export const exportHeaders = (format: TypesFormat) => ({
  "Content-Type": FORMATS[format].mediaType,
  "Content-Disposition": `attachment; filename="${FORMATS[format].fileName}"`,
});

/**
 * Returns the document for the tenant. A small one is complete; a fault cuts a large one short. Throws
 * PAYLOAD_TOO_LARGE, and when D1 is down.
 */
export async function exportTypes(
  deps: Deps,
  tenant: TenantRef,
  format: TypesFormat,
): Promise<ReadableStream<Uint8Array>> {
  const write = () => partsOf(deps, tenant, format);
  const file = await measured(write());
  return streamed(file?.values() ?? write(), tenant);
}

function streamed(
  parts: Iterator<string, unknown> | AsyncIterator<string, unknown>,
  tenant: TenantRef,
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = await parts.next();
        if (next.done) return controller.close();
        controller.enqueue(utf8(next.value));
      } catch (error) {
        log("error", "event types export failed", { tenantId: tenant.tenantId, ...describeError(error) });
        throw error;
      }
    },
  });
}

/** The document, a page of types in each part. Throws OutOfSteps. */
export async function* partsOf(
  deps: Deps,
  tenant: TenantRef,
  format: TypesFormat,
  forEverybody?: ForEverybody,
): AsyncGenerator<string, void> {
  const writer = FORMATS[format].writer(new Meter(), forEverybody);
  let text = writer.head;
  let between = "";
  for (let after: string | null = ""; after !== null; ) {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(
      deps,
      tenant,
      after,
      forEverybody?.hasPlatformTypes,
    );
    for (const declared of page.types) {
      text += between + writer.entry(declared);
      between = writer.between;
    }
    yield text;
    text = "";
    after = page.nextCursor;
  }
  yield writer.tail();
}
