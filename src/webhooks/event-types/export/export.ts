/** The export of a tenant's event types as a file, written page by page. */
import { utf8 } from "../../../base/crypto/encoding";
import type { Deps } from "../../../base/deps";
import { describeError, log } from "../../../base/log/log";
import type { TenantRef } from "../../../base/schemas/tenant-ref";
import { readPage } from "../declared-store";
import { asyncapiWriter } from "./asyncapi";
import type { ForEverybody, Writer } from "./format";
import { jsonWriter } from "./json";
import { openapiWriter } from "./openapi";
import type { TypesFormat } from "./schemas";
import { typescriptWriter } from "./typescript";

interface Format {
  writer: (forEverybody?: ForEverybody) => Writer;
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
 * Returns the document, for everybody or for the tenant. A fault later than the first page cuts it short. Throws when
 * D1 is down.
 */
export async function exportTypes(
  deps: Deps,
  tenant: TenantRef,
  format: TypesFormat,
  forEverybody?: ForEverybody,
): Promise<ReadableStream<Uint8Array>> {
  const parts = partsOf(deps, tenant, format, forEverybody);
  let next = await parts.next();
  return new ReadableStream({
    async pull(controller) {
      try {
        if (next.done) return controller.close();
        controller.enqueue(utf8(next.value));
        next = await parts.next();
      } catch (error) {
        log("error", "event types export failed", { tenantId: tenant.tenantId, ...describeError(error) });
        throw error;
      }
    },
  });
}

/** The document, a page of types in each part. */
export async function* partsOf(
  deps: Deps,
  tenant: TenantRef,
  format: TypesFormat,
  forEverybody?: ForEverybody,
): AsyncGenerator<string, void> {
  const writer = FORMATS[format].writer(forEverybody);
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
