/** Another Worker, which publishes through its service binding to our entrypoint `EventPublisher`. */

/** Payloads that RPC carries and JSON does not. */
const makeUnrepresentable = {
  "a BigInt": () => ({ n: 1n }),
  "a cycle": () => {
    const cycle = {};
    return Object.assign(cycle, { left: cycle, right: cycle });
  },
};

export default {
  async fetch(request, env) {
    const { tenantId, publication, idempotencyKey, batch, unrepresentable } = await request.json();
    if (unrepresentable) (batch?.[0] ?? publication).payload = makeUnrepresentable[unrepresentable]();
    try {
      const published = batch
        ? await env.POSTERN.publishBatch(tenantId, batch)
        : await env.POSTERN.publish(tenantId, publication, idempotencyKey);
      return Response.json({ published });
    } catch (error) {
      return Response.json({ name: error.name, message: error.message }, { status: 400 });
    }
  },
};
