package company

// Product is something the company sells.
type Product struct {
	ID             int
	Name, Category string
	Cents          int // list price today
}

type category struct {
	name      string
	low, high int // prices in dollars
	products  []string
}

func catalogue() []category {
	return []category{
		{"Sensors", 40, 260, []string{"Tide Thermometer", "Drift Accelerometer", "Halo Light Sensor", "Pulse Flow Meter", "Quartz Hygrometer", "Sonar Level Gauge", "Vane Anemometer", "Strata Soil Probe"}},
		{"Gateways", 180, 900, []string{"Beam Gateway S", "Beam Gateway M", "Beam Gateway L", "Ridge Outdoor Gateway", "Loft Indoor Gateway", "Relay Repeater", "Span Antenna", "Node Controller"}},
		{"Software", 90, 1200, []string{"Atlas Dashboard", "Atlas Alerts", "Atlas Forecasts", "Ledger Reports", "Compass Fleet Manager", "Prism Data Export", "Signal API Access", "Vault Archive"}},
		{"Services", 150, 2400, []string{"Site Survey", "Installation Day", "Calibration Visit", "Priority Support", "Data Migration", "Security Review", "Operator Training", "Health Check"}},
		{"Accessories", 6, 75, []string{"Mounting Kit", "Weather Shield", "Battery Pack", "Solar Panel", "Cable Set", "Magnetic Base", "Spare Seal Set", "Carry Case"}},
	}
}

func products(r random) []Product {
	list := make([]Product, 0, productCount)
	for _, c := range catalogue() {
		for _, name := range c.products {
			list = append(list, Product{ID: len(list) + 1, Name: name, Category: c.name, Cents: r.between(c.low, c.high)*100 - 10})
		}
	}
	return list
}
