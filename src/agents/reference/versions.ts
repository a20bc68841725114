/** What may change in the API, how it is announced, and what has changed. */
import type { OpenApiDocument } from '#agents/documents/openapi-document.ts';
import { agentPaths } from '#platform/addresses.ts';
import { type Html, html } from '#view/html.ts';

/** How long something still works after its end is announced. */
const NOTICE_DAYS = 180;

export function renderVersions({ info }: OpenApiDocument): Html {
  return html`<h2>What may change in version 1</h2>
<p>The version is that of <a href="${agentPaths.openapi}">openapi.json</a>, now ${info.version}. Within version 1 we add, and say so below: operations, optional fields and parameters of requests, fields and headers of answers, types of events, and codes of errors. A program should pass over fields, events and codes that it does not know; the schemas of answers list the fields of the day, so read them again rather than keep them closed.</p>
<p>We do not change what is there: no field, code or state gets another meaning or another type, nothing optional becomes required, and no address moves. Sealed formats have names of their own, such as <span class="code">inquiry.v1</span>, and what was sealed stays readable.</p>
<h2>How an end is announced</h2>
<p>What is to end works for at least ${NOTICE_DAYS} days after it is announced: on this page, as <span class="code">deprecated</span> in openapi.json, and in every answer of the operation with the headers <span class="code">Deprecation</span> (RFC 9745), which has the day of the announcement, and <span class="code">Sunset</span> (RFC 8594), which has its last day. Nothing is announced at present. A change that closes a hole in security may come at once.</p>
<h2>Changes</h2>
<ul class="list"><li>1.0.0: the first version.</li></ul>`;
}
