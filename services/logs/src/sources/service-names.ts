/**
 * Roles of services, matched by the words that people use when the service fails. `words` are words of a complaint, `services` words in the
 * names of sources: programs with this role, as units, containers and files name them. A text that has one of the services matches, too.
 */
export const roles: readonly { what: string; words: readonly string[]; services: readonly string[] }[] = [
  {
    what: 'web servers',
    words: 'website site web page http https url 404 500 502 503 504 gateway proxy certificate tls ssl'.split(' '),
    services: 'nginx apache apache2 httpd caddy traefik haproxy lighttpd envoy swag varnish squid npm'.split(' '),
  },
  {
    what: 'sign-in',
    words:
      'login logins logon signin sign password passwords ssh sudo authentication locked sso mfa 2fa intruder brute'.split(
        ' ',
      ),
    services:
      'sshd auth secure sudo authelia authentik keycloak vaultwarden lldap fail2ban crowdsec dropbear pam polkit'.split(
        ' ',
      ),
  },
  {
    what: 'databases',
    words: 'database databases db sql query queries table deadlock replication'.split(' '),
    services:
      'postgres postgresql mysql mariadb mongodb mongod redis valkey sqlite influxdb clickhouse elasticsearch opensearch cassandra memcached etcd'.split(
        ' ',
      ),
  },
  {
    what: 'mail',
    words: 'mail mails email emails smtp imap spam bounce bounced inbox'.split(' '),
    services: 'postfix dovecot exim sendmail rspamd spamassassin mailcow opendkim amavis'.split(' '),
  },
  {
    what: 'media',
    words:
      'movie movies film films video videos stream streaming playback transcode transcoding buffering music episode subtitles tv'.split(
        ' ',
      ),
    services:
      'plex jellyfin emby kodi sonarr radarr lidarr prowlarr bazarr tautulli navidrome audiobookshelf tdarr overseerr jellyseerr'.split(
        ' ',
      ),
  },
  {
    what: 'names and addresses',
    words: 'dns resolve resolving resolver lookup hostname dhcp lease domain adblock'.split(' '),
    services:
      'pihole adguard adguardhome unbound bind named dnsmasq kea coredns systemd-resolved resolved knot dhcpd'.split(
        ' ',
      ),
  },
  {
    what: 'network',
    words:
      'network internet wifi wlan ethernet cable router firewall switch packet packets latency offline connection connections'.split(
        ' ',
      ),
    services:
      'router gateway modem pppd networkmanager networkd ufw iptables nftables firewalld opnsense pfsense unifi openwrt hostapd frr bird'.split(
        ' ',
      ),
  },
  {
    what: 'VPN',
    words: 'vpn tunnel tunnels roaming'.split(' '),
    services: 'wireguard openvpn tailscale headscale zerotier strongswan charon cloudflared netbird'.split(' '),
  },
  {
    what: 'disks and shares',
    words:
      'disk disks drive drives storage nas raid share shares mount full space filesystem corrupted snapshot snapshots'.split(
        ' ',
      ),
    services:
      'kernel zfs zed btrfs smartd mdadm lvm smbd samba nfsd nfs minio ceph truenas syncthing nextcloud seafile'.split(
        ' ',
      ),
  },
  {
    what: 'backups',
    words: 'backup backups restore archive'.split(' '),
    services: 'restic borg borgmatic duplicati kopia veeam rsnapshot proxmox-backup rclone'.split(' '),
  },
  {
    what: 'memory and the kernel',
    words:
      'memory ram oom swap crash crashes crashed reboot rebooted reboots freeze freezes frozen hang hangs kernel boot hardware temperature overheating'.split(
        ' ',
      ),
    services: 'kernel kern dmesg systemd mcelog watchdog earlyoom'.split(' '),
  },
  {
    what: 'power',
    words: 'power outage ups battery blackout shutdown'.split(' '),
    services: 'nut upsd upsmon apcupsd acpid'.split(' '),
  },
  {
    what: 'graphics cards',
    words: 'gpu gpus graphics cuda vram'.split(' '),
    services: 'nvidia nvidia-persistenced ollama vllm comfyui amdgpu kernel'.split(' '),
  },
  {
    what: 'containers',
    words: 'container containers image images pod pods cluster kubernetes compose'.split(' '),
    services: 'docker dockerd podman containerd kubelet k3s crio portainer watchtower'.split(' '),
  },
  {
    what: 'photos and documents',
    words: 'photo photos picture pictures document documents scan scans upload uploads'.split(' '),
    services: 'immich photoprism paperless nextcloud stirling librephotos'.split(' '),
  },
  {
    what: 'the smart home',
    words: 'light lights sensor sensors automation automations thermostat zigbee smart camera cameras doorbell'.split(
      ' ',
    ),
    services: 'homeassistant hass zigbee2mqtt mosquitto esphome frigate nodered zwave openhab'.split(' '),
  },
  {
    what: 'monitoring',
    words: 'alert alerts alerting metric metrics dashboard dashboards monitoring'.split(' '),
    services: 'prometheus grafana alertmanager loki telegraf uptime-kuma netdata zabbix gatus'.split(' '),
  },
  {
    what: 'code and builds',
    words: 'git push pull repository repo pipeline pipelines build builds deploy deployment runner'.split(' '),
    services: 'gitea forgejo gitlab jenkins drone woodpecker registry harbor'.split(' '),
  },
  {
    what: 'queues',
    words: 'queue queues message messages broker consumer consumers'.split(' '),
    services: 'rabbitmq kafka nats activemq pulsar zookeeper mosquitto'.split(' '),
  },
  {
    what: 'scheduled jobs',
    words: 'cron job jobs schedule scheduled nightly timer'.split(' '),
    services: ['cron', 'crond', 'anacron', 'atd'],
  },
  {
    what: 'printing',
    words: 'print printer printing prints'.split(' '),
    services: ['cups', 'cupsd', 'octoprint', 'klipper'],
  },
]
