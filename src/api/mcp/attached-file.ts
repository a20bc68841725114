/** A file of a case as content of a tool's result; if it is too large, the address where a person opens it. */
import type { EmbeddedResource } from '@modelcontextprotocol/server';
import type { PublicAddresses } from '#platform/addresses.ts';
import { readBounded } from '#platform/net/bounded-bytes.ts';
import type { OpenedSealedFile } from '#seal/files/sealed-file.ts';

export const MAX_ATTACHED_BYTES = 1024 ** 2;

/** Holds the content of a file, which is not part of the structured content. */
export const ATTACHED = Symbol('attached');

interface AttachedFile {
  readonly name: string;
  readonly mime: string;
  /** Where the person opens it, if it is too large for the result. */
  readonly url?: string;
  readonly [ATTACHED]?: EmbeddedResource;
}

const TEXT_TYPES = /^(?:text\/|application\/json$)/;

export async function attachFile(
  { site }: PublicAddresses,
  id: string,
  { name, mime, content }: OpenedSealedFile,
): Promise<AttachedFile> {
  // Reads to the end, because only then is the file known to be authentic.
  const bytes = await readBounded(content, MAX_ATTACHED_BYTES);
  if (bytes === null) return { name, mime, url: `${site}/case` };
  const place = { uri: `case-file:${id}`, mimeType: mime };
  const text = TEXT_TYPES.test(mime) ? decodeText(bytes) : null;
  const resource = text === null ? { ...place, blob: bytes.toString('base64') } : { ...place, text };
  return { name, mime, [ATTACHED]: { type: 'resource', resource } };
}

function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
