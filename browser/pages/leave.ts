/** The script of pages that have no other script. */
import { enableQuickExit, forgetPageOnceLeft } from '#browser/ui/leave-button.ts';

enableQuickExit();
// What search engines may list is the same for everybody.
if (document.querySelector('meta[name=robots]')) forgetPageOnceLeft();
