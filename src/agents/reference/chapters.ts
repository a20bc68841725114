/** The pages of the API reference: one for each tag of the OpenAPI document, and one about versions. */
import { agentPaths } from '#platform/addresses.ts';

export interface Chapter {
  readonly path: string;
  readonly title: string;
  /** The tag of the operations on this page; null for the page about versions. */
  readonly tag: string | null;
}

export const CHAPTERS: readonly Chapter[] = [
  createChapter('payments', 'Prices, payments, orders', 'payments'),
  createChapter('inquiries', 'Inquiries', 'inquiries'),
  createChapter('cases', 'Cases', 'cases'),
  createChapter('plain-reading', 'Plain reading', 'plain'),
  createChapter('contact', 'Contact', 'contact'),
  createChapter('webhooks', 'Webhooks', 'callback'),
  createChapter('service', 'Service', 'service'),
  createChapter('versions', 'Versions and changes', null),
];

function createChapter(name: string, title: string, tag: string | null): Chapter {
  return { path: `${agentPaths.docs}/${name}`, title, tag };
}
