/* Many machines: what --dashboard and --rules print on standard output, for a Prometheus that asks
 * a countertop on each of them (--listen). Both use only names that countertop --listen has; what a
 * machine does not count has no data there. */
#ifndef REPORT_FLEET_H
#define REPORT_FLEET_H

/* A dashboard for Grafana 10 or later, in JSON: all machines beside each other, and, where one is
 * chosen, what it does by command, user or cgroup, as its `--view` says. */
void fleet_write_dashboard(void);
/* Recording rules and alerts (prometheus.io/docs/prometheus/latest/configuration). */
void fleet_write_rules(void);

#endif
