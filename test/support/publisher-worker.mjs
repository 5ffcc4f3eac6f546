/** Another Worker, which publishes through its service binding to our entrypoint `EventPublisher`. */
export default {
  async fetch(request, env) {
    const { tenantId, publication, idempotencyKey, batch } = await request.json();
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
