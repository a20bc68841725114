/** Names under which investigators save received files: never one that their machine would run. */
import { toArchiveName } from './archive-name.ts';

/** Endings of files that some system runs, or follows to another location, when they are opened. */
const RUN_ENDINGS = new Set(
  `html htm xhtml xht xhtm shtml mht mhtml hta htc svg svgz xml xsl xslt xaml swf exe com scr pif cpl dll sys msi msp msu
  mst msix msixbundle appx appxbundle appinstaller application appref-ms gadget lnk url website webloc inetloc fileloc
  desktop scf library-ms search-ms searchconnector-ms settingcontent-ms theme themepack diagcab cab js jse mjs cjs vb
  vbs vbe ws wsc wsf wsh sct cmd bat btm ps1 ps1xml ps2 ps2xml psm1 psd1 psc1 psc2 pssc cdxml msh msh1 mshxml reg inf
  ins isp job msc chm hlp sh bash zsh fish csh ksh run command tool workflow action scpt scptd applescript terminal app
  pkg mpkg dmg iso img vhd vhdx appimage flatpakref flatpak snap deb rpm apk jar jnlp class py pyc pyw pyz rb pl php lua
  tcl ade adp mda mdb accdb accde xll xlam wll ppa ppam iqy slk rdp vsix osdx crx xpi plist mobileconfig
  provisionprofile`.split(/\s+/),
);

/** Appends `.txt` to the name of any file that a system would run. */
export function toSavedName(name: string): string {
  const plain = toArchiveName(name);
  const ending = /\.([^.]+)$/.exec(plain)?.[1] ?? '';
  return RUN_ENDINGS.has(ending.toLowerCase()) ? `${plain}.txt` : plain;
}
