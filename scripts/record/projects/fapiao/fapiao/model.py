"""发票的字段。"""

import datetime
from dataclasses import dataclass
from decimal import Decimal

列名 = ("发票代码", "发票号码", "开票日期", "销售方名称", "销售方税号", "货物名称", "金额", "税率", "税额", "价税合计", "备注")


@dataclass(frozen=True)
class 发票:
    """一张发票。金额单位是元，税率是小数（13% 写作 0.13）。行号从 2 开始，第 1 行是表头。"""

    行号: int
    代码: str
    号码: str
    日期: datetime.date
    销售方: str
    税号: str
    货物: str
    金额: Decimal
    税率: Decimal
    税额: Decimal
    合计: Decimal
    备注: str = ""

    @property
    def 编号(self):
        return f"{self.代码}-{self.号码}"


@dataclass(frozen=True)
class 问题:
    """核对发现的一个问题。规则是简短的名称，例如“税额”。"""

    行号: int
    编号: str
    规则: str
    说明: str

    def 文字(self):
        return f"第 {self.行号:>4} 行  {self.编号}  【{self.规则}】{self.说明}"
