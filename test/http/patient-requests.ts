/** Sends requests in process, one after the other, and again if a slow machine made the service shed them. */
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type { App } from '#platform/http/app-type.ts';

export async function sendPatiently(app: App, request: InjectOptions): Promise<LightMyRequestResponse> {
  for (;;) {
    // Lets timers run in between: otherwise the service considers itself overloaded.
    await setImmediate();
    const answer = await app.inject(request);
    if (answer.statusCode !== 503 || !answer.body.includes('"overloaded"')) return answer;
    await setTimeout(100);
  }
}
