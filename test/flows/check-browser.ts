/** `node test/flows/check-browser.ts`: exits with 0 if the tests can drive a browser on this machine, else with 1. */
import { findBrowser } from './find-browser.ts';

const browser = await findBrowser();
await browser?.close();
process.exit(browser ? 0 : 1);
