#!/bin/sh
# certbot runs this after it has got a certificate (--deploy-hook). Gives it to HAProxy, which loads it without a pause.
set -eu
umask 077
folder=/etc/haproxy/certs
cat "$RENEWED_LINEAGE/fullchain.pem" "$RENEWED_LINEAGE/privkey.pem" > "$folder/.new"
mv "$folder/.new" "$folder/office.pem"
systemctl reload haproxy
