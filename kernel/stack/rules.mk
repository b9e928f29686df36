# SPDX-License-Identifier: BSD-2-Clause

optimise := speed
pure := iperf nbd nbd_server port services stack
# Of lwIP (tools/build/lwip.mk).
foreign := $(addprefix lwip/core/,def inet_chksum init ip mem memp netif pbuf stats sys tcp tcp_in tcp_out timeouts udp) \
    $(addprefix lwip/core/ipv4/,etharp icmp ip4 ip4_addr) lwip/netif/ethernet
