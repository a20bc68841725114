/** Accepts request bodies as raw bytes, for uploads in pieces. */
import type { App } from './app-type.ts';

export const OCTET_STREAM = 'application/octet-stream';

/** For the scope of a route that accepts bytes; they arrive as a Buffer. */
export function addByteParser(app: App, maxBytes: number): void {
  app.addContentTypeParser(OCTET_STREAM, { parseAs: 'buffer', bodyLimit: maxBytes }, (_request, body, done) =>
    done(null, body),
  );
}
