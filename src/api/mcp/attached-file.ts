/** A file of a case as the content of a tool's answer, or the address where a person opens it if it is too large for one. */
import type { EmbeddedResource } from '@modelcontextprotocol/server';
import type { PublicAddresses } from '#platform/addresses.ts';
import type { OpenedSealedFile } from '#seal/files/sealed-file.ts';

export const MAX_ATTACHED_BYTES = 1024 ** 2;

/** Beside the facts of a file, which alone are its structured content. */
export const ATTACHED = Symbol('attached');

interface AttachedFile {
  readonly name: string;
  readonly mime: string;
  /** Where the person opens it, if it is too large to be given here. */
  readonly url?: string;
  readonly [ATTACHED]?: EmbeddedResource;
}

const TEXT_TYPES = /^(?:text\/|application\/json$)/;

export async function attachFile(
  { site }: PublicAddresses,
  id: string,
  { name, mime, content }: OpenedSealedFile,
): Promise<AttachedFile> {
  const bytes = await readSmallContent(content);
  if (bytes === null) return { name, mime, url: `${site}/case` };
  const place = { uri: `case-file:${id}`, mimeType: mime };
  const text = TEXT_TYPES.test(mime) ? decodeText(bytes) : null;
  const resource = text === null ? { ...place, blob: bytes.toString('base64') } : { ...place, text };
  return { name, mime, [ATTACHED]: { type: 'resource', resource } };
}

/** To its end, since only there is it known to be authentic; null if it is too large. */
async function readSmallContent(content: ReadableStream<Uint8Array>): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > MAX_ATTACHED_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
