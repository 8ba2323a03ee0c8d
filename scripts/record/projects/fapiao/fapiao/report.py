"""报告：给财务同事看的文字。"""

from collections import Counter
from decimal import Decimal

from . import money

规则顺序 = ("税率", "税额", "合计", "期间", "名录", "重复")


def 汇总(全部, 问题们):
    """张数、金额和各类问题的个数。"""
    计数 = Counter(项.规则 for 项 in 问题们)
    行 = [
        f"发票张数：{len(全部)}",
        f"金额合计：{money.显示(sum((票.金额 for 票 in 全部), Decimal(0)))} 元",
        f"税额合计：{money.显示(sum((票.税额 for 票 in 全部), Decimal(0)))} 元",
        f"问题个数：{len(问题们)}",
    ]
    行 += [f"  {规则}：{计数[规则]}" for 规则 in 规则顺序 if 计数[规则]]
    return "\n".join(行)


def 明细(问题们):
    return "\n".join(项.文字() for 项 in 问题们) or "没有发现问题。"


def 按供应商(全部, 名录):
    """每个供应商的张数和价税合计，金额大的在前。"""
    张数, 合计 = Counter(), {}
    for 票 in 全部:
        张数[票.税号] += 1
        合计[票.税号] = 合计.get(票.税号, Decimal(0)) + 票.合计
    排序 = sorted(合计, key=lambda 税号: (-合计[税号], 税号))
    return "\n".join(f"{名录.get(税号, '（未登记）')}\t{张数[税号]} 张\t{money.显示(合计[税号])} 元" for 税号 in 排序)
