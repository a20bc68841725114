/** The Spanish of the page where a person sees and ends what programs may do. */
import type { englishPermissions } from '#language/en/permissions.ts';

export const spanishPermissions = {
  'permissions.title': 'Programas que actúan por usted',
  'permissions.lead':
    'Aquí ve lo que ha permitido que los programas hagan por usted, y puede quitarles el permiso.',
  'permissions.sign_in':
    'Inicie sesión como lo hizo cuando lo permitió. Preguntamos cada vez, porque aquí nadie deja la sesión abierta.',
  'permissions.address.hint': 'Después ve lo que permitió con esa dirección.',
  'permissions.words.hint': 'Después ve lo que permitió con estas palabras.',
  'permissions.expired': 'Esa página estuvo abierta demasiado tiempo. Inicie sesión otra vez.',
  'permissions.none':
    'Ningún programa puede actuar por usted con esta dirección de correo o estas palabras. No hay ningún permiso que quitar.',
  'permissions.ends':
    'Cada permiso termina cuando usted lo quita aquí, cuando el programa renuncia a él o pasa {$unused :integer} días sin usarlo, y a más tardar después de {$days :integer} días.',
  'permissions.minutes':
    'Esta página funciona durante {$minutes :integer} minutos. Después, inicie sesión otra vez.',
  'permissions.more':
    'Aquí ve lo que permitió con la dirección de correo o las palabras que acaba de usar. {#link}Inicie sesión de otra manera{/link} para ver más.',
  'permissions.all': 'Todos los permisos a la vez',
  'permissions.all.text': 'Puede quitar todos los permisos que dio con esta dirección o estas palabras.',
  'permissions.all.older':
    'Hay otros permisos más antiguos que no se muestran aquí. Puede quitar todos los permisos que dio con esta dirección o estas palabras.',
  'permissions.all.end': 'Quitar todos',
  'permissions.all.keep': 'Conservarlos',
  'permissions.all.title': '¿Quitar a los programas todos los permisos que usted les dio?',
  'permissions.all.confirm':
    'Ningún programa podrá actuar por usted con esta dirección de correo o estas palabras.',
  'permissions.all.ended':
    'Listo: ningún programa puede actuar ya por usted con esta dirección de correo o estas palabras.',
  'permissions.given': 'El {$day} usted le permitió:',
  'permissions.given.client': 'El {$day} usted permitió a {#strong}{$client}{/strong}:',
  'permissions.email.known': 'El programa conoce su dirección de correo.',
  'permissions.email.unknown': 'El programa no conoce su dirección de correo.',
  'permissions.end': 'Quitar este permiso{#unseen} de {$client}, dado el {$day}{/unseen}',
  'permissions.end.title': '¿Quitar el permiso a {$client}?',
  'permissions.end.other':
    'El programa tiene otro permiso que usted le dio; sigue en pie si no lo quita también.',
  'permissions.end.confirm':
    'El permiso termina de inmediato. Lo que se compró y envió antes queda como está, y puede darlo otra vez desde el programa.',
  'permissions.end.act': 'Quitarlo',
  'permissions.end.keep': 'Conservarlo',
  'permissions.ended': 'Listo: {$client} ya no puede actuar por usted.',
  'permissions.ended.other':
    'Listo: se quitó el permiso que usted dio a {$client} el {$day}. El programa todavía tiene otro permiso que usted le dio, abajo.',
  'permissions.ended.already': 'Ese permiso ya había terminado.',
  'refusal.title': 'No se puede continuar con el inicio de sesión',
  refusal:
    'El programa que le envió aquí cometió un error, o esperó demasiado. No se compartió nada. Vuelva a él y empiece otra vez.',
  'refusal.author': 'Para su autor: {#code}{$error}{/code}',
} as const satisfies Readonly<Record<keyof typeof englishPermissions, string>>;
