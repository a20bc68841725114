/** The terms shipped with the program, as a test app without an operator shows them. */
import { loadSiteContent } from '#content/site-content.ts';
import { readConfig } from '#platform/config/config.ts';

export const CURRENT_TERMS = (await loadSiteContent(readConfig({}))).terms.version;
