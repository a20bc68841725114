/** The headers of every answer of the desk: nothing from elsewhere, nothing for others, nothing kept. */
import { OCTET_STREAM } from '#platform/http/byte-body.ts';
import { plainHttpHeaders } from '#platform/http/headers.ts';

const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export const deskHeaders = {
  ...plainHttpHeaders,
  // With `no-referrer`, Chromium would say `Origin: null` with our own forms.
  'referrer-policy': 'same-origin',
  'integrity-policy': 'blocked-destinations=(script)',
} as const;

export const pageHeaders = {
  ...deskHeaders,
  'content-security-policy': PAGE_POLICY,
  'content-type': 'text/html; charset=utf-8',
} as const;

/** A file of a case is saved, never shown: whatever is in it runs nothing. */
export function buildDownloadHeaders(name: string, size: number | undefined) {
  const plain = name.replace(/[^\w .()-]/g, '_');
  return {
    ...deskHeaders,
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'content-type': OCTET_STREAM,
    // RFC 6266 §4.3, RFC 8187 §3.2.
    'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encodeFileName(name)}`,
    ...(size === undefined ? {} : { 'content-length': String(size) }),
  };
}

function encodeFileName(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
}
