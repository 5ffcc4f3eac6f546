import { web } from "../../../web";

const handle = async (request) => (await web.handle(request)) ?? new Response(null, { status: 404 });

export { handle as GET, handle as POST };
