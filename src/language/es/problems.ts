/** The Spanish of what went wrong, by the code of the problem. */
import type { englishProblems } from '#language/en/problems.ts';

export const spanishProblems = {
  'problem.quote': 'Si nos escribe sobre esto, mencione {#code}{$id}{/code}. No nos dice nada de usted.',
  'problem.not_found.title': 'No existe esa página',
  'problem.not_found': 'La dirección puede estar mal escrita, o la página ya no existe.',
  'problem.method_not_allowed.title': 'No existe esa página',
  'problem.method_not_allowed': 'Esta dirección no se puede abrir así.',
  'problem.payment_required.title': 'Este pago no puede abrir un caso',
  'problem.payment_required': 'No está completo. Si tiene doce palabras, escríbalas en la página de su caso.',
  'problem.order_redeemed.title': 'Este pago ya abrió un caso',
  'problem.order_redeemed':
    'Cada pago abre un solo caso, así que desde aquí no se envió nada. Escriba las doce palabras de ese caso en la página del caso.',
  'problem.order_refunded.title': 'Este pago se devolvió',
  'problem.order_refunded': 'Ya no puede abrir un caso, así que desde aquí no se envió nada.',
  'problem.payment_held.title': 'Estamos revisando su pago',
  'problem.payment_held':
    'No se envió nada, y su pago no está perdido. Antes tenemos que revisarlo, por ejemplo por si ya se usó. No pague otra vez: vuelva en unas horas, o escríbanos.',
  'problem.form_expired.title': 'Este formulario ya no está abierto en este navegador',
  'problem.form_expired':
    'Desde aquí no se envió nada. Si ya envió este formulario, por ejemplo en otra pestaña, sus doce palabras abren el caso. Si no, su pago no está perdido: use el enlace del correo que enviamos poco después de un pago, o escríbanos.',
  'problem.payload_too_large.title': 'Eso fue demasiado de una vez',
  'problem.payload_too_large': 'No se envió nada. Adjunte menos archivos, o más pequeños.',
  'problem.foreign_form.title': 'Esto no vino de nuestro sitio',
  'problem.foreign_form':
    'Para protegerle, solo aceptamos formularios de nuestras propias páginas. No se envió ni se cobró nada.',
  'problem.sign_in_expired.title': 'Este inicio de sesión ya terminó',
  'problem.sign_in_expired':
    'Tardó demasiado, ya terminó, o empezó en otro navegador. Vuelva adonde empezó e inténtelo otra vez.',
  'problem.link_spent.title': 'Este enlace ya no funciona',
  'problem.link_spent':
    'Ya se usó, es demasiado antiguo, o lo sustituyó uno más nuevo. Si su programa pidió él mismo sus credenciales, ya las tiene. Si no, escríbanos y le enviaremos un enlace nuevo.',
  'problem.rate_limited.title': 'Espere un minuto, por favor',
  'problem.rate_limited':
    'Llegaron demasiadas peticiones desde su conexión. Espere un minuto e inténtelo otra vez.',
  'problem.payments_not_configured.title': 'En este momento no se aceptan pagos',
  'problem.payments_not_configured': 'No se pidió ni se cobró nada. Vuelva más tarde, por favor.',
  'problem.payment_provider_unavailable.title': 'No podemos comunicarnos con el proveedor de pagos',
  'problem.payment_provider_unavailable':
    'No se pidió ni se cobró nada. Inténtelo otra vez en un minuto, por favor.',
  'problem.storage_full.title': 'En este momento no hay lugar para esto',
  'problem.storage_full': 'No se guardó ni se cobró nada. Inténtelo otra vez más tarde, por favor.',
  'problem.sealing_unavailable.title': 'En este momento esto no se pudo poner bajo llave ni abrir',
  'problem.sealing_unavailable': 'Inténtelo otra vez en unos segundos, por favor. Nada se guarda dos veces.',
  'problem.overloaded.title': 'Hay demasiada gente aquí en este momento',
  'problem.overloaded': 'Inténtelo otra vez en unos segundos, por favor.',
  'problem.case_unknown': 'Ningún caso se abre con estas palabras. Revise cada una, y su orden.',
  'problem.case_purged.title': 'Este caso fue borrado',
  'problem.case_purged': 'Este caso fue borrado. Lo que contenía ya no existe.',
  'problem.case_state': 'Su caso ha avanzado desde que se cargó esta página, así que eso ya no es posible.',
  'problem.case_changed': 'Algo nuevo acaba de llegar a su caso. Léalo, y luego envíe otra vez.',
  'problem.case_exists':
    'Estas doce palabras ya abren un caso. Cargue el formulario otra vez para recibir otras.',
  'problem.upload_incomplete': 'Un archivo no llegó completo. Envíelo otra vez: su texto sigue aquí.',
  'problem.terms_changed.title': 'Nuestras condiciones han cambiado',
  'problem.terms_changed':
    'Nuestras condiciones han cambiado desde que se abrió este formulario. Copie lo que escribió, cargue el formulario otra vez, lea ahí las condiciones y envíelo de nuevo. No se guardó nada, y su pago sigue siendo válido.',
  'problem.sealing_keys_changed':
    'Las llaves que protegen su texto han cambiado. Copie lo que escribió, cargue esta página otra vez y envíelo de nuevo. No se guardó nada. Si ya pagó, su pago sigue siendo válido.',
  'problem.sealing_keys_changing':
    'Las llaves que protegen su texto se están cambiando en este momento. Inténtelo otra vez en unos minutos. No se guardó nada. Si ya pagó, su pago sigue siendo válido.',
  'problem.file_unreadable.title': 'Este archivo no se puede abrir',
  'problem.file_unreadable':
    'Está dañado, o no es el archivo que figura en la lista, así que no se guarda nada de él. El resto de su caso no está afectado.',
  'problem.case_key_unreadable':
    'No se puede leer la llave de este caso, así que nadie puede abrirlo. Escríbanos, por favor.',
  'problem.contact_full':
    'En este momento esperan demasiados mensajes. “Quiénes somos”, al final de esta página, tiene una dirección de correo a la que puede escribir.',
  'problem.unreachable':
    'Su navegador no puede comunicarse con nosotros. Revise su conexión e inténtelo otra vez. Lo que escribió sigue aquí.',
  'problem.unexpected': 'Algo salió mal en este navegador. Lo que escribió sigue aquí: inténtelo otra vez.',
  'problem.sealer_broken':
    'Este navegador dejó de poner su texto bajo llave. Copie lo que escribió y luego cargue la página otra vez.',
  'problem.sealer_missing':
    'No se envió nada: su navegador no pudo ponerlo bajo llave. Lea la nota que está sobre el botón antes de presionarlo otra vez.',
  'problem.connection_lost':
    'Se perdió la conexión antes de que llegara todo el archivo. No se guardó nada: inténtelo otra vez.',
  'problem.unsupported': 'Esta página está desactualizada. Cárguela otra vez.',
  'problem.client.title': 'Eso no funcionó',
  'problem.client':
    'Algo de lo que envió su navegador no estaba bien. No se guardó nada. Inténtelo otra vez, por favor.',
  'problem.server.title': 'Algo salió mal de nuestro lado',
  'problem.server': 'No fue culpa suya. Inténtelo otra vez en un minuto, por favor.',
} as const satisfies Readonly<Record<keyof typeof englishProblems, string>>;
